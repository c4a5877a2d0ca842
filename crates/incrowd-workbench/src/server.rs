//! The server: loopback only, a random port, a token that is used once, and an end by itself.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use incrowd::Settings;
use incrowd::core::Cancel;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::api;
use crate::folder::Folder;
use crate::secrets::Secrets;
use crate::session::WorkSession;

/// How a workbench is served. There is no option for another address than loopback.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The folder whose files can be opened; links do not lead out of it.
    pub folder: PathBuf,
    /// A table, plan or release below the folder that is opened at the beginning.
    pub opened: Option<String>,
    /// What jobs may use.
    pub settings: Settings,
    /// The port; a free one when left out.
    pub port: Option<u16>,
    /// The server ends after this time without a request or a running job.
    pub idle: Duration,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The folder cannot be opened.
    #[error("the folder {} cannot be opened ({kind})", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        kind: std::io::ErrorKind,
    },
    /// No port can be had.
    #[error("the port cannot be opened on loopback ({0})")]
    Port(std::io::ErrorKind),
    /// The operating system gives no random numbers.
    #[error("the operating system gives no random numbers")]
    NoRandomness,
    /// The engine cannot be started.
    #[error(transparent)]
    Engine(#[from] incrowd::Error),
}

/// A server that listens and has not answered yet.
pub struct Server {
    // Dropped after the runtime: a session holds a runtime of its own, which may not be dropped inside another.
    runtime: Runtime,
    listeners: Vec<TcpListener>,
    session: Arc<WorkSession>,
}

/// How often the server looks whether it should end.
const LOOK: Duration = Duration::from_millis(100);

impl Server {
    /// Opens the port and prepares the session.
    pub fn bind(options: &ServeOptions) -> Result<Server, ServeError> {
        let folder = Folder::new(&options.folder)
            .map_err(|error| ServeError::Folder { path: options.folder.clone(), kind: error.kind() })?;
        let secrets = Secrets::draw().map_err(|_| ServeError::NoRandomness)?;
        let port = |error: std::io::Error| ServeError::Port(error.kind());
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(port)?;
        let (listeners, port) = runtime.block_on(async {
            let first = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port.unwrap_or(0))).await.map_err(port)?;
            let port = first.local_addr().map_err(port)?.port();
            let mut listeners = vec![first];
            // A machine may have no IPv6.
            listeners.extend(TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await);
            Ok::<_, ServeError>((listeners, port))
        })?;
        let session = Arc::new(WorkSession::new(folder, options.settings.clone(), port, secrets, options.idle)?);
        if let Some(name) = &options.opened {
            // What cannot be opened is said on the page, where there is room for the reason.
            let _ = api::open_at_start(&session, name);
        }
        Ok(Server { runtime, listeners, session })
    }

    /// The address with the token. The browser that opens it first has the session.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.session.port(), self.session.secrets().token())
    }

    /// The addresses that are listened on.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.listeners.iter().filter_map(|listener| listener.local_addr().ok()).collect()
    }

    /// The folder of the session.
    pub fn folder(&self) -> &Path {
        self.session.folder().root()
    }

    /// Writes a page that leads to the address into a private folder and gives its path, for a browser to open: the
    /// arguments of a process can be read by other users of the machine, a private file cannot.
    pub fn private_page(&self) -> Result<PathBuf, ServeError> {
        let folder = self.session.engine().private_folder("open").map_err(incrowd::Error::from)?;
        let page = folder.join("open.html");
        let url = self.url();
        let text = format!(
            "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
             <meta http-equiv=\"refresh\" content=\"0; url={url}\"><title>incrowd</title>\
             <a href=\"{url}\">Open the workbench</a>\n"
        );
        std::fs::write(&page, text).map_err(|error| incrowd::Error::file(&page, &error))?;
        Ok(page)
    }

    /// Answers until the page ends the session, nobody asks for a while, or the work is cancelled.
    pub fn run(self, cancel: &Cancel) {
        let Server { runtime, listeners, session } = self;
        let (asked, cancel) = (session.clone(), cancel.clone());
        runtime.block_on(async move {
            let ended = async |session: Arc<WorkSession>, cancel: Cancel| loop {
                let is_idle = session.idle() > session.patience && !session.jobs().is_busy();
                if session.has_quit() || cancel.is_cancelled() || is_idle {
                    session.quit();
                    break;
                }
                tokio::time::sleep(LOOK).await;
            };
            let serve = |listener: TcpListener| {
                let (router, stop) = (api::router(&asked), ended(asked.clone(), cancel.clone()));
                async move { axum::serve(listener, router).with_graceful_shutdown(stop).await }
            };
            futures::future::join_all(listeners.into_iter().map(serve)).await;
        });
        // Jobs hold the session and end at their next step; their temporary files go with them.
        let patience = std::time::Instant::now();
        while session.jobs().is_busy() && patience.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(10));
        }
        runtime.shutdown_timeout(Duration::from_millis(500));
        drop(session);
    }
}
