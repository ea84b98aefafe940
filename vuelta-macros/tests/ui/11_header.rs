//! Arguments that cannot be mirrored into headers.

use vuelta::tool;

#[tool(header(region = "Data Region", weight = "Weight", where = "Zone", zone = "ZONE", id = "zone"))]
async fn provision(region: String, weight: f64, zone: String, id: u64) -> String {
    format!("{region} {weight} {zone} {id}")
}

#[tool(header(tags = "Tags", region = "", zone = 1, zone))]
async fn other(tags: Vec<String>, region: Option<String>, zone: String) -> String {
    format!("{tags:?} {region:?} {zone}")
}

fn main() {}
