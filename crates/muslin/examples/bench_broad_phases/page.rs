//! The kept page with some of its rows renewed.

/// The first cell of a row of a table: the scene.
fn scene(line: &str) -> Option<&str> {
    line.strip_prefix("| ")?.split(" |").next()
}

/// The old page with its rows of the named scenes replaced by those of the new page, table by table; rows of a scene that a
/// table does not have yet follow its last row.
pub fn renewed(old: &str, new: &str, names: &[&str]) -> String {
    let is_named = |line: &str| scene(line).is_some_and(|scene| names.contains(&scene));
    let fresh = |title: &str, name: Option<&str>| -> Vec<&str> {
        let section = new.split("\n## ").find(|section| section.lines().next() == Some(title)).unwrap_or_default();
        section.lines().filter(|line| is_named(line) && (name.is_none() || scene(line) == name)).collect()
    };
    let mut page: Vec<&str> = Vec::new();
    let (mut title, mut written): (&str, Vec<&str>) = ("", Vec::new());
    for line in old.lines().chain([""]) {
        if let Some(next) = line.strip_prefix("## ") {
            (title, written) = (next, Vec::new());
        }
        if is_named(line) {
            let name = scene(line).unwrap_or_default();
            if !written.contains(&name) {
                written.push(name);
                page.extend(fresh(title, Some(name)));
            }
            continue;
        }
        // The table ends: what it had no rows of yet.
        if line.is_empty() && page.last().is_some_and(|last| last.starts_with('|')) {
            page.extend(fresh(title, None).into_iter().filter(|row| scene(row).is_some_and(|s| !written.contains(&s))));
        }
        page.push(line);
    }
    page.join("\n")
}
