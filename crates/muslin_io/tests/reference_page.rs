//! The reference page in the book is what the schema says.

#[test]
fn the_page_in_the_book_is_printed_from_the_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene-file.md");
    let page = std::fs::read_to_string(path).expect("docs/scene-file.md exists");
    assert!(page == muslin_io::reference::page(), "run `muslin scenes --reference > docs/scene-file.md`");
}

#[test]
fn the_scene_shown_on_the_page_is_valid() {
    let page = muslin_io::reference::page();
    let example = page.split("```toml").nth(1).unwrap().split("```").next().unwrap();
    let scene = muslin_io::parse("example.toml", example, "example", &[]).unwrap_or_else(|e| panic!("{e}")).scene;
    assert_eq!(scene.cloths[0].pins.len(), 1);
    assert_eq!(scene.name, "example");
}
