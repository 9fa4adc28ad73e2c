// EVOLVE-BLOCK-START
/// The smallest distance of two numbers: all pairs are compared.
fn smallest_gap(x: &[f64]) -> f64 {
    let mut best = f64::INFINITY;
    for i in 0..x.len() {
        for j in i + 1..x.len() {
            best = best.min((x[i] - x[j]).abs());
        }
    }
    best
}
// EVOLVE-BLOCK-END

// Lines of JSON in and out: {"call": "smallest_gap", "args": [{"$array": "float64", "shape": [n]}]}, behind it the n numbers.
use std::io::{BufRead, Read, Write};

fn main() -> std::io::Result<()> {
    let mut input = std::io::stdin().lock();
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let shape = line.split("\"shape\":[").nth(1).unwrap();
        let n: usize = shape.split(']').next().unwrap().parse().unwrap();
        let mut bytes = vec![0u8; 8 * n];
        input.read_exact(&mut bytes)?;
        let x: Vec<f64> = bytes.chunks(8).map(|eight| f64::from_le_bytes(eight.try_into().unwrap())).collect();
        println!("{{\"value\": {:e}}}", smallest_gap(&x));
        std::io::stdout().flush()?;
        line.clear();
    }
    Ok(())
}
