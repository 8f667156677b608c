//! What can be typed after `impinge verify`.

use std::path::PathBuf;

/// `impinge verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge fit sample:headlight-cover --certificate cover.json
  impinge verify cover.json

A certificate names the meshes it is about, and knows them by what they hold. They are looked for
where it says, from its own folder on.

Exit codes: 0 proved, 1 rejected, 2 the file or a mesh cannot be read.")]
pub(crate) struct VerifyArgs {
    /// The file that `impinge fit --certificate` wrote
    #[arg(value_name = "CERTIFICATE")]
    pub(crate) certificate: PathBuf,
    /// Another folder to look for the mesh files in, by their names
    #[arg(long, value_name = "DIR")]
    pub(crate) meshes: Option<PathBuf>,
}
