//! Who talks to whom, over what, in which era: the columns of the part.

use std::fmt;

/// An SDK; all of them serve the same fixture and tell the same stories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    Own,
    PythonV2,
    PythonV1,
    TypescriptV2,
    TypescriptV1,
    Rmcp,
}

impl Peer {
    pub(super) const ALL: [Self; 6] = [
        Self::Own,
        Self::PythonV2,
        Self::PythonV1,
        Self::TypescriptV2,
        Self::TypescriptV1,
        Self::Rmcp,
    ];

    /// Returns the name of its packages, with the version that is pinned.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Own => "vuelta",
            Self::PythonV2 => "Python mcp 2.3.0",
            Self::PythonV1 => "Python mcp 1.30.0",
            Self::TypescriptV2 => "TypeScript 2.4.0",
            Self::TypescriptV1 => "TypeScript sdk 1.32.2",
            Self::Rmcp => "rmcp 3.11.0",
        }
    }

    /// Returns the eras in which it plays a role.
    const fn eras(self, role: Role) -> &'static [Era] {
        match (self, role) {
            (Self::Own | Self::PythonV2 | Self::TypescriptV2 | Self::Rmcp, _) => &Era::BOTH,
            (Self::PythonV1 | Self::TypescriptV1, Role::Client) => &[Era::Legacy],
            (Self::PythonV1 | Self::TypescriptV1, Role::Server) => &[Era::Legacy, Era::Fallback],
        }
    }

    /// Returns the columns of its matrix.
    pub(super) fn columns(self) -> Vec<Column> {
        let roles: &[Role] = match self {
            // Its client at ours is ours at its server.
            Self::Own => &[Role::Server],
            _ => &[Role::Client, Role::Server],
        };
        let mut columns = Vec::new();
        for role in roles {
            for wire in [Wire::Http, Wire::Stdio] {
                for era in self.eras(*role) {
                    columns.push(Column {
                        role: *role,
                        wire,
                        era: *era,
                    });
                }
            }
        }
        columns
    }
}

/// What the peer is in a column; we are the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Client,
    Server,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    Http,
    Stdio,
}

/// How a connection begins, and in which revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// With a question which revisions there are; 2026-07-28.
    Modern,
    /// With a handshake; 2025-11-25.
    Legacy,
    /// With the question, at a server that only knows the handshake; 2025-11-25.
    Fallback,
}

impl Era {
    pub(super) const BOTH: [Self; 2] = [Self::Modern, Self::Legacy];

    /// Returns its name, also on command lines.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Legacy => "legacy",
            Self::Fallback => "fallback",
        }
    }
}

/// One column of a peer's matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) role: Role,
    pub(super) wire: Wire,
    pub(super) era: Era,
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = match self.role {
            Role::Client => "client",
            Role::Server => "server",
        };
        let wire = match self.wire {
            Wire::Http => "HTTP",
            Wire::Stdio => "stdio",
        };
        write!(f, "{role}, {} {wire}", self.era.name())
    }
}
