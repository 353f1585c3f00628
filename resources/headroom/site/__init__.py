# SPDX-License-Identifier: Apache-2.0
"""The documentation site: pages in Markdown made from READMEs, help texts, schemas and data, and built by MkDocs."""
