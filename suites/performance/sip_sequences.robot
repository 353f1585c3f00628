*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    SIP calls and registrations as UDP exchanges between callers and called parties, with the message
...              sequences of maenpaa-2005, appendix C (traffic-profiles/sip): a message is sent when all that the other
...              side says before it has arrived. The codec of the nodes between them is null, which copies, or
...              SigComp: datagrams of port 5060 become SigComp messages on the link, and each caller has a compartment.
...
...              At 50 calls a second every message of every call must arrive octet by octet, in one of three trials at
...              least, for what takes a core away for a moment costs packets, too; a message that came out changed is
...              never excused. Then the highest rate is looked for at which every call is completed, through null nodes
...              and, of some sequences, through nodes that speak SigComp. From TRex
...              (`--generator trex`) messages are sessions (ASTF), which it counts; at 50 calls a second they are
...              caught beside it and compared, but on network cards. Rows need interfaces, as those of throughput do.
...              Rows of null nodes are unsupported in runs about an implementation other than the reference.

Resource         imports.resource

Test Template    Calls Should Be Completed

Test Tags        performance    scheme:sip


*** Test Cases ***                               SEQUENCE                              CPUS    CALLS A SECOND    NODES
Basic Voice Call                                 basic-voice-call                      1c      50                null
Basic Video Call                                 basic-video-call                      1c      50                null
Push To Talk                                     push-to-talk                          1c      50                null
3GPP Video Call                                  3gpp-video-call                       1c      50                null
3GPP Video Call, Re-INVITE                       3gpp-video-call-re-invite             1c      50                null
3GPP Video Call, Reliable Re-INVITE              3gpp-video-call-re-invite-reliable    1c      50                null
3GPP Registration                                3gpp-registration                     1c      50                null
Basic Voice Call Over SigComp                    basic-voice-call                      1c      50                sigcomp
Basic Video Call Over SigComp                    basic-video-call                      1c      50                sigcomp
Push To Talk Over SigComp                        push-to-talk                          1c      50                sigcomp
3GPP Video Call Over SigComp                     3gpp-video-call                       1c      50                sigcomp
3GPP Video Call, Re-INVITE, Over SigComp         3gpp-video-call-re-invite             1c      50                sigcomp
3GPP Video Call, Reliable, Over SigComp          3gpp-video-call-re-invite-reliable    1c      50                sigcomp
3GPP Registration Over SigComp                   3gpp-registration                     1c      50                sigcomp
Rate Of Basic Voice Calls
    [Template]    Call Rate Should Be Found
    basic-voice-call    1c
Rate Of Basic Voice Calls Over SigComp
    [Template]    Call Rate Should Be Found
    basic-voice-call    1c    sigcomp
Rate Of Basic Video Calls
    [Template]    Call Rate Should Be Found
    basic-video-call    1c
Rate Of Push To Talk
    [Template]    Call Rate Should Be Found
    push-to-talk    1c
Rate Of Push To Talk Over SigComp
    [Template]    Call Rate Should Be Found
    push-to-talk    1c    sigcomp
Rate Of 3GPP Video Calls
    [Template]    Call Rate Should Be Found
    3gpp-video-call    1c
Rate Of 3GPP Video Calls Over SigComp
    [Template]    Call Rate Should Be Found
    3gpp-video-call    1c    sigcomp
Rate Of 3GPP Video Calls, Re-INVITE
    [Template]    Call Rate Should Be Found
    3gpp-video-call-re-invite    1c
Rate Of 3GPP Video Calls, Reliable Re-INVITE
    [Template]    Call Rate Should Be Found
    3gpp-video-call-re-invite-reliable    1c
Rate Of 3GPP Registrations
    [Template]    Call Rate Should Be Found
    3gpp-registration    1c
Rate Of 3GPP Registrations Over SigComp
    [Template]    Call Rate Should Be Found
    3gpp-registration    1c    sigcomp
