//! Replays every corpus on stable Rust.

use std::fs;
use std::path::Path;

use mars_fuzz_bodies::BODIES;

#[test]
fn every_corpus_file() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (name, body) in BODIES {
        let mut files: Vec<_> = fs::read_dir(corpora.join(name))
            .unwrap_or_else(|error| panic!("corpus {name}: {error}"))
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        assert!(!files.is_empty(), "corpus {name} is empty");
        for file in files {
            println!("{name}: {}", file.display());
            body(&fs::read(&file).unwrap());
        }
    }
}

/// A corpus without a body would never be replayed.
#[test]
fn every_corpus_has_a_body() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for entry in fs::read_dir(corpora).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            BODIES.iter().any(|(body, _)| *body == name),
            "corpus {name} has no body"
        );
    }
}
