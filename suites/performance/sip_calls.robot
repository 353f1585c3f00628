*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    A P-CSCF under the load of calls, with the settings of maenpaa-2005, chapter 11: it decompresses
...              messages from users and compresses messages to users. Calls arrive at random and by a clock of their
...              own, are answered after 5 s and held for 180 s (voice) or 300 s (video). The rows begin with that many
...              calls in progress. `--calls`, `--holding` and `--answer` set other calls than those of the rows.
...
...              Every message must come out octet by octet as it went in, and the workers must keep up with the calls:
...              if calls pile up, no other figure means anything. Load, the time in the system, in the buffer and in
...              processing, active workers, throughput and memory are measured and not judged. The messages of users
...              are made in advance, so no figure includes their time or memory. With a virtual clock the endpoint's
...              processor time is measured and the queue in front of it simulated; with the real clock there are
...              threads, and the generator needs a core besides. `--quick` makes a twentieth of the rows' calls.
...
...              The last rows compare a common queue with one for each worker: both are simulated at a load of 80 %,
...              with the same arrivals, from the times of messages of a thousand short calls. These rows have no other
...              calls.

Resource         imports.resource

Test Template    Calls Should Be Served

Test Tags        performance    scheme:sigcomp


*** Test Cases ***                     SEQUENCE            CALLS    COMPARTMENTS    CLOCK
Voice Calls                            basic-voice-call    20000    per call        virtual
Registered Callers                     basic-voice-call    20000    per user        virtual
Video Calls                            3gpp-video-call     4000     per call        virtual
Voice Calls By The Real Clock          basic-voice-call    20000    per call        real
Pool Or Pinned, Two Workers
    [Template]    Organisations Should Be Compared
    basic-voice-call    2
Pool Or Pinned, Four Workers
    [Template]    Organisations Should Be Compared
    basic-voice-call    4
