// SPDX-License-Identifier: Apache-2.0
//
// For the targets that precompile headers: CMake compiles no header for a target without a source.
