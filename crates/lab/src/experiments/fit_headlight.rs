//! Fitting checks as a user runs them: wall time of the whole program with its report, the size of
//! the certificate, and how long it takes to check that.

use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "fit-headlight",
    title: "The fitting check of the headlight: with report, with certificate, verified",
    paper: Some("[E99 §5]"),
    about: "The four fitting checks of the built-in headlight, 60 000 faces, and two of them with \
            500 000. Wall times of whole runs of the program (start, making the model, answer, \
            writing), the least of several; `fit` writes the report, `certify` is what the \
            certificate adds, `verify` reads and checks it. All threads, whatever --threads.",
    run,
};

/// The scenes, and how many faces.
const SCENES: [(&str, u32); 6] = [
    ("headlight-cover", 60_000),
    ("headlight-cover-early", 60_000),
    ("headlight-bulb", 60_000),
    ("headlight-bulb-early", 60_000),
    ("headlight-cover", 500_000),
    ("headlight-bulb-early", 500_000),
];

fn run(lab: &mut Lab) -> Result<()> {
    let mut table = Table::new(&[
        ("scene", ""),
        ("faces", ""),
        ("verdict", ""),
        ("fit", "s"),
        ("report", "MB"),
        ("certify", "s"),
        ("certificate", "MB"),
        ("verify", "s"),
    ]);
    let program = std::env::current_exe().context("the program does not know where it is")?;
    let is_program = program.file_stem().is_some_and(|name| name == "impinge");
    if !is_program {
        lab.note("skipped: this is not the program `impinge`");
    }
    let quick = lab.settings.quick;
    let scenes = SCENES.iter().filter(|(_, faces)| is_program && (!quick || *faces < 100_000));
    let (mut sum, rounds) = (0.0, if quick { 1 } else { 3 });
    for &(scene, faces) in scenes {
        let folder = tempfile::tempdir()?;
        let [report, certificate] =
            ["report.html", "proof.json"].map(|name| folder.path().join(name));
        let named = format!("sample:{scene}?faces={faces}");
        let write = |option: &str, file: &Path| [option.to_owned(), file.display().to_string()];
        let fit = [vec!["fit".to_owned(), named], write("--report", &report).into()].concat();
        let proof = [fit.clone(), write("--certificate", &certificate).into()].concat();
        let verify = vec!["verify".to_owned(), certificate.display().to_string()];
        let (code, alone) = least(&program, &fit, rounds)?;
        let (_, with_proof) = least(&program, &proof, rounds.min(2))?;
        let (accepted, verified) = least(&program, &verify, rounds)?;
        ensure!(accepted == 0, "the certificate of {scene} is rejected");
        let size = |file: &Path| std::fs::metadata(file).map(|data| data.len() as f64 / 1e6);
        if faces < 100_000 {
            sum += alone;
        }
        table.push(vec![
            Cell::Text(scene.to_owned()),
            Cell::Count(u64::from(faces)),
            Cell::Text(if code == 0 { "free" } else { "contact" }.to_owned()),
            Cell::Real(alone),
            Cell::Real(size(&report)?),
            Cell::Real((with_proof - alone).max(0.0)),
            Cell::Real(size(&certificate)?),
            Cell::Real(verified),
        ]);
    }
    if is_program {
        lab.note(format!("the four of 60 000 faces take {sum:.2} s together, reports included"));
    }
    lab.publish(&table, None)
}

/// The exit code, and the least wall time of some runs.
fn least(program: &Path, arguments: &[String], rounds: u32) -> Result<(i32, f64)> {
    let (mut code, mut least) = (0, f64::INFINITY);
    for _ in 0..rounds {
        let start = Instant::now();
        let output = Command::new(program).args(arguments).arg("-q").output()?;
        least = least.min(start.elapsed().as_secs_f64());
        code = output.status.code().context("the program was killed")?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(code < 2, "{} fails: {error}", arguments.join(" "));
    }
    Ok((code, least))
}
