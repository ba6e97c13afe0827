//! Judges the files of a run by the list of their checksums.
//!
//! A flipped bit in a frame is still a frame, with one vertex a little or far off: nothing but a checksum tells it. Damaged files are
//! told alone: what crosses in them is no fault of the cloth.

use super::{CheckFault, Verdict};
use muslin_io::output::{CHECKSUMS, OutputError, compare_checksums};
use std::path::{Path, PathBuf};

/// How far above a file of frames the list of its run may be: `run/vtk/frames.pvd`.
const ABOVE: usize = 3;

/// Files of frames whose readers open others beside them.
const WITH_OTHERS: [&str; 4] = ["pvd", "pc2", "mdd", "npz"];

/// The list of the run that a file or directory of frames belongs to, and those of these frames that are not as the run wrote
/// them; `None` if there is no list.
pub(crate) fn lost(path: &Path) -> Option<(PathBuf, Result<Vec<OutputError>, OutputError>)> {
    let root =
        |path: &Path| path.ancestors().take(ABOVE).find(|above| above.join(CHECKSUMS).is_file()).map(PathBuf::from);
    // A name without folders does not tell what is above it.
    let whole = path.canonicalize();
    let (path, root) = match (root(path), &whole) {
        (Some(root), _) => (path, root),
        (None, Ok(whole)) => (whole.as_path(), root(whole)?),
        (None, Err(_)) => return None,
    };
    let inner = path.strip_prefix(&root).unwrap_or(path);
    let others = path.extension().is_some_and(|ending| WITH_OTHERS.iter().any(|with| ending == *with));
    let folder = inner.parent().unwrap_or(Path::new(""));
    let concerns = |name: &str| {
        let name = Path::new(name);
        let beside = others && name.parent() == Some(folder);
        // The folder of a run holds all formats, that of a format its own only.
        name.starts_with(inner) || (beside && (folder != Path::new("") || name.extension() == inner.extension()))
    };
    let lost = compare_checksums(&root, concerns).map(Option::unwrap_or_default);
    Some((root.join(CHECKSUMS), lost))
}

/// Adds the files that are not as their run wrote them, and says so where there is no list.
pub(super) fn judge(path: &Path, verdict: &mut Verdict) {
    let Some((list, lost)) = lost(path) else {
        if path.join("report.json").is_file() {
            let text = format!("there is no `{CHECKSUMS}`, so that nobody can say whether the files are as they were");
            verdict.warnings.push(text);
        }
        return;
    };
    let fault = |what: String, file: Option<PathBuf>| CheckFault {
        file: file.map(|file| file.display().to_string()),
        ..CheckFault::plain("damaged-file", format!("{what}; take a whole copy, or simulate it again"))
    };
    match lost {
        Ok(lost) => verdict.faults.extend(lost.into_iter().map(|loss| {
            let file = loss.path().map(Path::to_path_buf);
            fault(loss.loss(), file)
        })),
        Err(error) => verdict.faults.push(fault(error.loss(), Some(list))),
    }
}
