//! Which HTTP status an answer has: the one map from JSON-RPC codes.
//!
//! Source: [streamable
//! HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#protocol-version-header).

use http::StatusCode;
use vuelta::ErrorCode;

/// Returns the status of a response that carries an error of this code, whoever raised it.
pub(super) fn of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::PARSE_ERROR
        | ErrorCode::INVALID_REQUEST
        | ErrorCode::INVALID_PARAMS
        | ErrorCode::HEADER_MISMATCH
        | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        | ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => StatusCode::BAD_REQUEST,
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        // The exchange worked; what failed is behind it.
        _ => StatusCode::OK,
    }
}

#[cfg(test)]
mod tests;
