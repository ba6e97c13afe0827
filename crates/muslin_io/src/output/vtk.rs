//! `vtk/frames.pvd` and its VTP files: what ParaView opens as one animation.
//!
//! The list of files is XML. After each frame its last lines are overwritten by the new entries and the same last
//! lines, in one write: it is whole and true after every frame, without being written anew each time.

use super::{
    atomic::write_whole,
    cast::{Cast, Frame},
    seal::Seal,
    sequence::{MeshEncoder, SequenceWriter},
    text,
    vtp::VtpEncoder,
    writer::{Ending, FrameWriter, OutputError, Written, demand, fails},
};
use std::{
    fs::{File, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// Writes VTP files and their list.
pub struct VtkWriter {
    files: SequenceWriter<VtpEncoder>,
    list: PathBuf,
    open: Option<File>,
    /// Of the list without its last lines.
    seal: Seal,
}

const HEAD: &str = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n";
const TAIL: &str = "</Collection>\n</VTKFile>\n";

impl VtkWriter {
    /// Writes into a folder of a directory.
    pub fn new(directory: &Path) -> Self {
        let list = directory.join(VtpEncoder::FOLDER).join("frames.pvd");
        VtkWriter { files: SequenceWriter::new(directory), seal: Seal::new(&list), list, open: None }
    }

    fn entries(&self, cast: &Cast, frame: usize) -> String {
        let time = text::double(cast.time(frame));
        let entry = |(part, group)| {
            let file = cast.file_name(group, frame, VtpEncoder::EXTENSION);
            format!("<DataSet timestep=\"{time}\" part=\"{part}\" file=\"{file}\"/>\n")
        };
        self.files.groups().enumerate().map(entry).collect()
    }

    /// Writes the list of so many frames and opens it for more.
    fn write_list(&mut self, cast: &Cast, frames: usize) -> Result<(), OutputError> {
        let mut list = HEAD.to_string();
        (0..frames).for_each(|frame| list.push_str(&self.entries(cast, frame)));
        self.seal = Seal::of(&self.list, list.as_bytes());
        list.push_str(TAIL);
        write_whole(&self.list, list.as_bytes()).map_err(fails(&self.list))?;
        self.open = Some(OpenOptions::new().write(true).open(&self.list).map_err(fails(&self.list))?);
        Ok(())
    }
}

impl FrameWriter for VtkWriter {
    fn begin(&mut self, cast: &Cast) -> Result<(), OutputError> {
        self.files.begin(cast)?;
        self.write_list(cast, 0)
    }

    fn inspect(&self, cast: &Cast, frames: usize, ending: Ending) -> Result<Vec<Seal>, OutputError> {
        // The list is written anew when a run goes on.
        if ending == Ending::Complete {
            demand(&self.list, TAIL.as_bytes())?;
        }
        self.files.inspect(cast, frames, ending)
    }

    fn reopen(&mut self, cast: &Cast, frames: usize, seals: Vec<Seal>) -> Result<(), OutputError> {
        self.files.reopen(cast, frames, seals)?;
        self.write_list(cast, frames)
    }

    fn frame(&mut self, cast: &Cast, frame: &Frame<'_>) -> Result<(), OutputError> {
        self.files.frame(cast, frame)?;
        let entries = self.entries(cast, frame.number);
        let (Some(list), end) = (&mut self.open, self.seal.length) else { return Ok(()) };
        let added = list.seek(SeekFrom::Start(end)).and_then(|_| list.write_all((entries.clone() + TAIL).as_bytes()));
        if let Err(error) = added {
            // No room for the entries: put the last lines back where there was room for them.
            let back = list.seek(SeekFrom::Start(end)).and_then(|_| list.write_all(TAIL.as_bytes()));
            let _ = back.and_then(|()| list.set_len(end + TAIL.len() as u64));
            return Err(fails(&self.list)(error));
        }
        self.seal.add(entries.as_bytes());
        Ok(())
    }

    fn sync(&mut self) -> Result<(), OutputError> {
        self.files.sync()?;
        self.open.as_ref().map_or(Ok(()), |list| list.sync_data()).map_err(fails(&self.list))
    }

    fn seals(&self) -> Vec<Seal> {
        self.files.seals()
    }

    fn finish(&mut self, cast: &Cast, ending: Ending) -> Result<Written, OutputError> {
        self.open = None;
        let mut written = self.files.finish(cast, ending)?;
        self.seal.add(TAIL.as_bytes());
        written.seals.push(self.seal.clone());
        Ok(written)
    }
}
