//! The smallest picture and the smallest sound, in base64.

use vuelta::{AudioContent, BlobResourceContents, ImageContent};

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/// One sample of silence: mono, 16 bits, 8 kHz.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==";

pub(crate) fn image() -> ImageContent {
    ImageContent::new(PNG, "image/png")
}

pub(crate) fn audio() -> AudioContent {
    AudioContent::new(WAV, "audio/wav")
}

pub(crate) fn blob(uri: &str) -> BlobResourceContents {
    BlobResourceContents::new(uri, PNG).mime_type("image/png")
}
