//! The assembly as built: closed, reproducible, of the size that was asked for. That its known
//! clearances are true is tested where there is an engine, in `impinge/tests/all/assembly.rs`.

use super::*;
use crate::surface::tests::closed_outward;

fn made(parts: u32, faces: u32) -> Assembly {
    Assembly::new(&Params { parts, faces, ..Params::default() }).unwrap()
}

fn face_count(assembly: &Assembly) -> usize {
    assembly.scene.parts.iter().map(|part| part.mesh.face_count()).sum()
}

#[test]
fn parts_and_faces_are_as_many_as_asked_for() {
    for (parts, faces) in [(33, 40_000), (40, 30_000), (300, 500_000), (1000, 500_000)] {
        let made = made(parts, faces);
        let found = face_count(&made);
        assert_eq!(made.scene.parts.len(), parts as usize);
        let least = faces as usize * 85 / 100;
        assert!((least..=faces as usize).contains(&found), "{parts}, {faces}: {found}");
    }
    // As coarse as can be.
    let coarse = face_count(&made(33, 1));
    assert!((5_000..10_000).contains(&coarse), "{coarse}");
}

#[test]
fn every_part_is_closed_at_every_cut() {
    for (facets, rows) in [(8, 2), (16, 3), (24, 7), (40, 2)] {
        let station = Station::new(Detail { facets, rows }).unwrap();
        let mut random = Random(1);
        // Enough stations to meet all that chance can choose.
        for _ in 0..8 {
            for part in station.build(&mut random).parts {
                closed_outward(&part.mesh);
            }
        }
    }
}

#[test]
fn holes_are_holes() {
    let station = Station::new(Detail { facets: 8, rows: 2 }).unwrap();
    let parts = station.build(&mut Random(1)).parts;
    // Two less two for each hole: five in the plate, one in a wheel or ring.
    for (name, euler) in [("plate", -8), ("gear", 0), ("nut-1", 0), ("cover", 2), ("spring", 2)] {
        let part = parts.iter().find(|part| part.name == name).unwrap();
        assert_eq!(closed_outward(&part.mesh), euler, "{name}");
    }
}

#[test]
fn the_seed_decides() {
    let seeded = |seed| Assembly::new(&Params { parts: 99, faces: 1, seed }).unwrap();
    let (a, b, c) = (seeded(1), seeded(1), seeded(2));
    assert_eq!(a.known, b.known);
    assert!(a.known != c.known);
    let poses = |made: &Assembly| made.scene.parts.iter().map(|p| p.pose).collect::<Vec<_>>();
    assert_eq!(poses(&a), poses(&b));
    assert!(poses(&a) != poses(&c));
    assert!(a.known.windows(2).all(|two| two[0].pair < two[1].pair), "sorted, each pair once");
    assert!(a.known.iter().all(|known| known.pair[0] < known.pair[1] && known.pair[1] < 99));
}

#[test]
fn what_cannot_be_made_is_refused() {
    let refusal = |text: &str| crate::build(text).unwrap_err().to_string();
    assert!(refusal("assembly?parts=1").contains("from 2 to 10000"));
    assert!(refusal("assembly?faces=10000001").contains("from 1 to 10000000"));
    let one = Params { parts: 1, ..Params::default() };
    assert!(Assembly::new(&one).unwrap_err().to_string().contains("2 to 10000 parts"));
}
