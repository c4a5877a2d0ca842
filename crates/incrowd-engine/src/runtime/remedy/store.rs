//! Object stores: names, credentials, and what stands in a folder.

use super::{Sentence, Setting};

/// What to do about an object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreRemedy {
    /// Nothing has the name.
    CheckName,
    /// The user may not read or write.
    AskForRights,
    /// The store did not let the user in.
    CheckCredentials,
    /// Something has the name already.
    ChooseAnotherName,
    /// The path cannot be a name.
    UsePlainNames,
    /// The address cannot be read.
    WriteAddress,
    /// The endpoint has no TLS.
    UseTls,
    /// The store does not answer.
    CheckConnection,
    /// A whole bucket was named.
    NameFolder,
    /// The folder holds something else.
    NameEmptyFolder,
    /// The folder holds a release.
    ForceOrRename,
    /// The folder is claimed by an upload.
    RenameOrForce,
    /// Somebody else wrote to the folder.
    KeepUnchanged,
    /// A file did not arrive.
    RunAgain,
}

impl StoreRemedy {
    pub(super) fn sentence(self) -> Sentence {
        let force = || [Setting::on("force")];
        match self {
            StoreRemedy::CheckName => Sentence::plain("check the name and the bucket"),
            StoreRemedy::AskForRights => Sentence::plain("request the permission to read or write there"),
            StoreRemedy::CheckCredentials => Sentence::plain("check the credentials in the environment"),
            StoreRemedy::ChooseAnotherName => Sentence::plain("choose another name"),
            StoreRemedy::UsePlainNames => Sentence::plain("use plain names, without . and .. between slashes"),
            StoreRemedy::WriteAddress => Sentence::plain("write s3://bucket/path, gs://… or az://…"),
            StoreRemedy::UseTls => {
                Sentence::plain("use https, or set AWS_ALLOW_HTTP=true if unencrypted transfer is acceptable")
            }
            StoreRemedy::CheckConnection => Sentence::plain(
                "check the credentials, the region and AWS_ENDPOINT_URL in the environment, then run again",
            ),
            StoreRemedy::NameFolder => Sentence::plain("name a folder in it: s3://bucket/release"),
            StoreRemedy::NameEmptyFolder => Sentence::plain("name an empty folder"),
            StoreRemedy::ForceOrRename => Sentence::about("use {} to replace it, or choose another name", force()),
            StoreRemedy::RenameOrForce => {
                Sentence::about("choose another name, or use {} if no other run is active", force())
            }
            StoreRemedy::KeepUnchanged => {
                Sentence::plain("make sure that nothing else writes there, and run again; nothing was published")
            }
            StoreRemedy::RunAgain => Sentence::plain("run again; there is no manifest, so there is no release"),
        }
    }
}
