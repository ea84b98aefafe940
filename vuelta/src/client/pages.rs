//! Lists as streams: where the next page begins, and when to stop.
//!
//! Source: [pagination](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination).

use std::collections::HashSet;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::vec;

use futures_core::Stream;

use crate::error::{Error, Result};

use super::Client;
use super::cache::CacheMode;
use super::lists::ListMethod;

/// Everything that a server lists, as a stream: made by [`Client::tools`], [`Client::prompts`],
/// [`Client::resources`] and [`Client::resource_templates`].
///
/// A page is asked for when the one before is used up; the first may come from the
/// [cache](super::Cache). The stream ends with the list or with an error: the server's, a cursor
/// that led here before, or more pages than [`max_pages`](Self::max_pages). An item that is
/// added or removed while the pages are read may be missing, or come twice.
///
/// # Example: all tools at once
///
/// ```
/// # async fn count(client: &vuelta::Client) -> vuelta::Result<usize> {
/// let tools = client.tools().max_pages(1000).all().await?;
/// # Ok(tools.len()) }
/// ```
#[must_use = "a stream does nothing until it is polled"]
pub struct Items<M: ListMethod> {
    pages: Pages<M>,
    page: vec::IntoIter<M::Item>,
}

impl<M: ListMethod> Items<M> {
    pub(super) fn new(client: Client) -> Self {
        Self {
            pages: Pages {
                mode: client.0.cache.mode(),
                client,
                walk: Walk::default(),
                max_pages: 100,
                coming: None,
            },
            page: Vec::new().into_iter(),
        }
    }

    /// Sets how many pages may be read before the list is thought to have no end; 100 if not
    /// set.
    pub fn max_pages(mut self, pages: usize) -> Self {
        self.pages.max_pages = pages;
        self
    }

    /// Sets whether the first page may come from the cache; the client's choice if not set.
    pub fn cache_mode(mut self, mode: CacheMode) -> Self {
        self.pages.mode = mode;
        self
    }

    /// Lists pages instead, as the server gives them.
    pub fn pages(self) -> Pages<M> {
        self.pages
    }

    /// Returns the next item; `None` at the end.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing: the request goes on when the stream is asked again.
    pub async fn next(&mut self) -> Option<Result<M::Item>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Returns all items together.
    ///
    /// # Errors
    ///
    /// Returns the error with which the stream ends.
    pub async fn all(mut self) -> Result<Vec<M::Item>> {
        let mut all = Vec::new();
        while let Some(item) = self.next().await {
            all.push(item?);
        }
        Ok(all)
    }
}

impl<M: ListMethod> Stream for Items<M> {
    type Item = Result<M::Item>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(item) = this.page.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            match ready!(Pin::new(&mut this.pages).poll_next(cx)) {
                Some(Ok(page)) => this.page = M::items(page).into_iter(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl<M: ListMethod> fmt::Debug for Items<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("pages", &self.pages)
            .finish_non_exhaustive()
    }
}

/// The pages of a list, as a stream: made by [`Items::pages`].
#[must_use = "a stream does nothing until it is polled"]
pub struct Pages<M: ListMethod> {
    client: Client,
    mode: CacheMode,
    max_pages: usize,
    walk: Walk,
    coming: Option<Coming<M::Result>>,
}

/// A page on its way.
type Coming<R> = Pin<Box<dyn Future<Output = Result<R>> + Send>>;

impl<M: ListMethod> Pages<M> {
    /// Returns the next page; `None` at the end.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing: the request goes on when the stream is asked again.
    pub async fn next(&mut self) -> Option<Result<M::Result>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl<M: ListMethod> Stream for Pages<M> {
    type Item = Result<M::Result>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let mut coming = match this.coming.take() {
            Some(coming) => coming,
            None => match this.walk.step(M::NAME, this.max_pages) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(cursor)) => {
                    let (client, mode) = (this.client.clone(), this.mode);
                    Box::pin(async move { client.page::<M>(cursor, mode).await })
                }
            },
        };
        let Poll::Ready(page) = coming.as_mut().poll(cx) else {
            this.coming = Some(coming);
            return Poll::Pending;
        };
        if let Ok(page) = &page {
            this.walk.arrived(M::next_cursor(page));
        }
        Poll::Ready(Some(page))
    }
}

impl<M: ListMethod> fmt::Debug for Pages<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("method", &M::NAME)
            .finish_non_exhaustive()
    }
}

/// A walk from page to page; knows what came before, and nothing of what is listed.
#[derive(Debug)]
struct Walk {
    /// Where the next page begins; `None` at the end.
    next: Option<Option<String>>,
    pages: usize,
    /// No more than there were pages.
    seen: HashSet<String>,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            next: Some(None),
            pages: 0,
            seen: HashSet::new(),
        }
    }
}

impl Walk {
    /// Returns the cursor of the page to ask for, which is `None` for the first; the walk is at
    /// its end unless the page [arrives](Self::arrived).
    fn step(&mut self, method: &str, max_pages: usize) -> Option<Result<Option<String>>> {
        let cursor = self.next.take()?;
        if self.pages >= max_pages {
            return Some(Err(Error::peer(format!(
                "{method}: more than {max_pages} pages: raise `max_pages`, if the list is that \
                 long"
            ))));
        }
        if let Some(cursor) = &cursor
            && !self.seen.insert(cursor.clone())
        {
            // A cursor may be of any length.
            let shown: String = cursor.chars().take(100).collect();
            return Some(Err(Error::peer(format!(
                "{method}: the list goes in a circle: the cursor {shown:?} came before"
            ))));
        }
        self.pages += 1;
        Some(Ok(cursor))
    }

    /// Notes that the page came. A cursor is opaque: an empty one leads on like any other.
    fn arrived(&mut self, next_cursor: Option<&str>) {
        self.next = next_cursor.map(|cursor| Some(cursor.to_owned()));
    }
}

#[cfg(test)]
mod tests;
