//! What can be typed after `impinge verify`.

use std::path::PathBuf;

/// `impinge verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge fit sample:headlight-cover --certificate cover.json
  impinge verify cover.json
  impinge verify cover.json --scene sample:headlight-cover

A certificate names the meshes it is about, and knows them by what they hold. They are looked for
where it says, from its own folder on. With --scene it must be about that scene: the same bodies at
the same places, the same path, and nothing excused that the scene does not allow.

Exit codes: 0 proved, 1 rejected, 2 the file or a mesh cannot be read.")]
pub(crate) struct VerifyArgs {
    /// The file that `impinge fit --certificate` wrote
    #[arg(value_name = "CERTIFICATE")]
    pub(crate) certificate: PathBuf,
    /// Another folder for mesh files: those that are not where the certificate says are looked for by
    /// their names, those of the scene as it names them
    #[arg(long, value_name = "DIR")]
    pub(crate) meshes: Option<PathBuf>,
    /// The scene that the certificate must be about: what `impinge fit` was asked
    #[arg(long, value_name = "SCENE")]
    pub(crate) scene: Option<String>,
}
