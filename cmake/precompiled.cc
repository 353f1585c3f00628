// SPDX-License-Identifier: Apache-2.0
//
// The source of the targets that own the precompiled headers: CMake requires one.

int main() { return 0; }
