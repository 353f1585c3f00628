// SPDX-License-Identifier: Apache-2.0
//! Compiles library.c, the stand-in for your library. With SANITIZE=1 by clang, with its sanitizers.
use std::{env, process::Command};

fn main() {
    println!("cargo:rerun-if-changed=library.c");
    println!("cargo:rerun-if-env-changed=SANITIZE");
    let out = env::var("OUT_DIR").expect("cargo sets it");
    let sanitize = env::var("SANITIZE").as_deref() == Ok("1");
    let compiler = env::var("CC").unwrap_or_else(|_| if sanitize { "clang" } else { "cc" }.into());
    let object = format!("{out}/library.o");
    let mut compile = Command::new(&compiler);
    compile.args(["-c", "-O2", "-g", "-fPIC", "-Wall", "-Wextra", "-Iabi", "library.c", "-o", &object]);
    if sanitize {
        compile.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]);
    }
    assert!(compile.status().map_or(false, |status| status.success()), "{compiler} must compile library.c");
    let archive = format!("{out}/liblibrary.a");
    let archived = Command::new("ar").args(["crs", &archive, &object]).status();
    assert!(archived.map_or(false, |status| status.success()), "ar must put library.o into an archive");
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=library");
}
