//! Who is calling, as an authorization layer has validated it.

use crate::seal::ascii::push_text;

/// The caller of a request: the client, and whose behalf it acts on.
///
/// A layer in front of the server validates it and puts it into the request's extensions.
/// State that is sealed for one principal does not open for another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Principal {
    /// The OAuth client.
    pub client_id: String,
    /// Who issued the token.
    pub issuer: Option<String>,
    /// The user.
    pub subject: Option<String>,
}

impl Principal {
    /// Creates the principal of a client that acts on its own behalf.
    #[must_use]
    pub fn new(client_id: impl Into<String>) -> Self {
        Self {
            client_id: client_id.into(),
            issuer: None,
            subject: None,
        }
    }

    /// Sets who issued the token.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Sets the user.
    #[must_use]
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Returns the identity that state is bound to: the three parts as a JSON array.
    #[must_use]
    pub fn identity(&self) -> String {
        let parts = [
            Some(self.client_id.as_str()),
            self.issuer.as_deref(),
            self.subject.as_deref(),
        ];
        let mut json = String::from("[");
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            match part {
                Some(text) => push_text(&mut json, text),
                None => json.push_str("null"),
            }
        }
        json.push(']');
        json
    }
}
