# SPDX-License-Identifier: Apache-2.0
"""`./headroom judge`: everything that is asked of one implementation, in one run, and the page that says what came of
it.

`subject` makes an implementation of what the command line names, `parts` the runs that a judgement consists of,
`causes` groups what went wrong, `summary` reads the records, and `page` shows them.
"""
