//! Runs the program as users do, and looks at what it leaves.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run came to.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A run that is about to start.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_impinge"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs with these arguments and nothing on standard input.
pub(crate) fn run(arguments: &[&str]) -> Run {
    finish(&command(arguments).output().expect("the program starts"))
}

/// Runs with a text on standard input.
pub(crate) fn feed(arguments: &[&str], input: &str) -> Run {
    let mut command = command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("it was piped");
    let input = input.to_owned();
    // The program may end before it has read everything, which is not what is tested here.
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer does not panic");
    finish(&output)
}

fn finish(output: &Output) -> Run {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    Run {
        code: output.status.code().expect("it was not killed"),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

impl Run {
    /// The JSON lines.
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        let parse = |line| serde_json::from_str(line).expect("every line is JSON");
        self.out.lines().map(parse).collect()
    }
}

/// A folder for the files of one test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder can be made"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and returns its path as an argument.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("the file can be written");
        argument(&path)
    }
}

/// A path as an argument.
pub(crate) fn argument(path: &Path) -> String {
    path.to_str().expect("test paths are UTF-8").to_owned()
}

/// A cube of 4 about the origin without its top, as OBJ.
pub(crate) fn cup() -> String {
    let corner = |k: i32| [k & 1, k >> 1 & 1, k >> 2 & 1].map(|bit| 4 * bit - 2);
    let vertex = |[x, y, z]: [i32; 3]| format!("v {x} {y} {z}\n");
    let vertices: String = (0..8).map(corner).map(vertex).collect();
    vertices + "f 1 3 4 2\nf 1 2 6 5\nf 2 4 8 6\nf 4 3 7 8\nf 3 1 5 7\n"
}

/// A tetrahedron with legs of length 1 from a corner, as OBJ.
pub(crate) fn tetrahedron([x, y, z]: [f64; 3]) -> String {
    let (x1, y1, z1) = (x + 1.0, y + 1.0, z + 1.0);
    format!(
        "v {x} {y} {z}\nv {x1} {y} {z}\nv {x} {y1} {z}\nv {x} {y} {z1}\n\
         f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
}
