//! The command `mars-sim`; see the library for what it does.

fn main() -> std::process::ExitCode {
    mars_sim::cli::main()
}
