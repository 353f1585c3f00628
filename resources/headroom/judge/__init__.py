# SPDX-License-Identifier: Apache-2.0
"""`./headroom judge`: all checks of one implementation, in one run, and the page with the results.

`subject` finds the implementation that the command line names, `parts` makes the runs of a judgement, `causes` groups
the defects, `summary` reads the records, and `page` shows them.
"""
