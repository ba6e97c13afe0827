//! The independent checker of `../shared/peers`, where there is one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The checker, compiled; each test has its own, for they run at the same time.
pub struct Foreign {
    library: PathBuf,
}

/// Checkers made so far.
static MADE: AtomicUsize = AtomicUsize::new(0);

/// Counts crossing pairs of all frames of an archive, in single precision as most files hold them: the checker's arithmetic of
/// 113 bits is exact for such numbers, while of nearly flat sheets in double precision it names pairs that do not cross.
const SCRIPT: &str = "\
import sys, ctypes, numpy as np
lib = ctypes.CDLL(sys.argv[1])
lib.self_intersections.restype = ctypes.c_int
d = np.load(sys.argv[2]); X, F = d['X'], np.ascontiguousarray(d['F'], dtype=np.int32)
total = 0
for x in X:
    V = np.ascontiguousarray(x.astype(np.float32), dtype=np.float64)
    n = lib.self_intersections(V.ctypes.data_as(ctypes.c_void_p), len(V), F.ctypes.data_as(ctypes.c_void_p), len(F), None, 0)
    if n < 0: print('cannot judge', n); sys.exit(1)
    total += n
print(total)
";

impl Foreign {
    /// Compiles it; none, with a word why, where it or a compiler is not there.
    pub fn build() -> Option<Self> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/peers/checker.cpp");
        let name = format!("checker-{}-{}.so", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let compiled = source.exists().then(|| {
            let mut command = Command::new("g++");
            command.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status()
        });
        let numpy =
            || Command::new("python3").args(["-c", "import numpy"]).output().is_ok_and(|run| run.status.success());
        match compiled {
            Some(Ok(status)) if status.success() && numpy() => Some(Foreign { library }),
            _ => {
                println!("skipped: no foreign checker (../shared/peers, g++ and NumPy)");
                None
            }
        }
    }

    /// Crossing pairs in an archive.
    pub fn crossings(&self, archive: &Path) -> Result<u64, String> {
        let run = Command::new("python3").arg("-c").arg(SCRIPT).arg(&self.library).arg(archive).output();
        let run = run.map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&run.stdout);
        said.trim().parse().map_err(|_| format!("{said}{}", String::from_utf8_lossy(&run.stderr)))
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.library);
    }
}
