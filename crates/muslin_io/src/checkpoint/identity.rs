//! Which run a checkpoint belongs to, and how two runs differ.

use muslin_sim::Scene;
use std::fmt;

/// Everything that must be the same for a run to go on bit for bit, as keys and values: the program, the scene,
/// and what the command line says about frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Keys and values; no key twice, no line breaks.
    pub keys: Vec<(String, String)>,
}

/// Keys that tell the program and the machine.
const PROGRAM: [&str; 3] = ["Muslin's version", "processor", "build"];

/// One key in which two runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key.
    pub key: String,
    /// Its value in the run that is there; `None` if it has none.
    pub there: Option<String>,
    /// Its value now.
    pub here: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let show = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".into());
        write!(f, "{}: {} there, {} now", self.key, show(&self.there), show(&self.here))
    }
}

impl Identity {
    /// A run of a scene by this program. The processor's kind is part of it: other kinds give other bits.
    pub fn new(version: &str, scene: &Scene) -> Self {
        let mut identity = Identity::default();
        let [name, processor, _] = PROGRAM;
        identity.add(name, version);
        identity.add(processor, std::env::consts::ARCH);
        scene.keys().into_iter().for_each(|k| identity.add(&k.key, &k.value));
        identity
    }

    /// Adds a key.
    pub fn add(&mut self, key: &str, value: &str) {
        let line = |text: &str| text.replace(['\n', '\r'], " ");
        self.keys.push((line(key), line(value)));
    }

    /// The same without what tells the program and the machine: for a run that is finished.
    pub fn of_the_result(&self) -> Identity {
        Identity { keys: self.keys.iter().filter(|(key, _)| !PROGRAM.contains(&key.as_str())).cloned().collect() }
    }

    /// Where this identity, of a checkpoint, differs from that of a run now.
    pub fn differences(&self, now: &Identity) -> Vec<Difference> {
        let find = |keys: &[(String, String)], key: &str| keys.iter().find(|(k, _)| k == key).map(|(_, v)| v.clone());
        let mut all: Vec<&String> = self.keys.iter().map(|(k, _)| k).collect();
        all.extend(now.keys.iter().map(|(k, _)| k).filter(|key| find(&self.keys, key).is_none()));
        let pair =
            |key: &String| Difference { key: key.clone(), there: find(&self.keys, key), here: find(&now.keys, key) };
        all.into_iter().map(pair).filter(|d| d.there != d.here).collect()
    }

    /// One line for each key.
    pub(super) fn to_text(&self) -> String {
        self.keys.iter().map(|(key, value)| format!("{key}\n{value}\n")).collect()
    }

    pub(super) fn from_text(text: &str) -> Self {
        let mut lines = text.lines();
        let mut keys = Vec::new();
        while let (Some(key), Some(value)) = (lines.next(), lines.next()) {
            keys.push((key.to_string(), value.to_string()));
        }
        Identity { keys }
    }
}
