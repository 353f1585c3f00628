# SPDX-License-Identifier: Apache-2.0
"""`python -m headroom`: the command line."""

from headroom.cli.app import main

if __name__ == "__main__":
    main()
