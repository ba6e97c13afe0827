//! Files that are either whole or absent: written under another name, renamed when finished.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// A file being written. Dropped unfinished, it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    /// Where bytes go.
    pub writer: BufWriter<File>,
    target: PathBuf,
    partial: Option<PathBuf>,
}

/// Bytes gathered before a write.
const BUFFER: usize = 1 << 18;

impl AtomicFile {
    /// Begins a file that will be called `target`.
    pub fn create(target: &Path) -> io::Result<Self> {
        let mut name = target.file_name().unwrap_or_default().to_os_string();
        name.push(".partial");
        let partial = target.with_file_name(name);
        let writer = BufWriter::with_capacity(BUFFER, File::create(&partial)?);
        Ok(AtomicFile { writer, target: target.to_path_buf(), partial: Some(partial) })
    }

    /// Gives the finished file its name.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()?;
        if let Some(partial) = &self.partial {
            fs::rename(partial, &self.target)?;
        }
        self.partial = None;
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // Nothing can be done about a file that cannot be removed either.
            let _ = fs::remove_file(partial);
        }
    }
}

/// Writes a small file at once.
pub fn write_whole(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(target)?;
    file.writer.write_all(bytes)?;
    file.finish()
}

/// Writes a small file at once, which then outlasts a cut in the power.
pub fn write_lasting(target: &Path, bytes: &[u8]) -> io::Result<()> {
    write_whole(target, bytes)?;
    settle(target)?;
    target.parent().map_or(Ok(()), settle_folder)
}

/// Hands a file to the disk.
pub fn settle(file: &Path) -> io::Result<()> {
    File::open(file)?.sync_all()
}

/// Hands the names in a folder to the disk: what was made or renamed there outlasts a cut in the power.
pub fn settle_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match settle(folder) {
        // Some file systems do not know the wish.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        settled => settled,
    }
}
