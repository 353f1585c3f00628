# SPDX-License-Identifier: Apache-2.0
#
# One TCP connection over a router and a lossy link, for ns-2:
#   ns transfer.tcl CONTROL RATE_BPS MTU HEADER BER SECONDS SEED
# Prints the segments that were acknowledged. HEADER is what a compressed header has; 40 is none.
foreach {control rate mtu header ber seconds seed} $argv {}
ns-random $seed
# Defaults as they were in the year 2000.
foreach {name value} {
    singledup_ 0  rfc2988_ false  timerfix_ false  precisionReduce_ false  rtxcur_init_ 6  tcpTick_ 0.1
    windowInit_ 1  minrto_ 0.2  maxrto_ 60  window_ 20
} {
    Agent/TCP set $name $value
}
# packetSize_ counts payload; ns-2 adds 40 octets of headers.
Agent/TCP set packetSize_ [expr $mtu - 80 + $header]
Agent/TCPSink set packetSize_ $header
set ns [new Simulator]
set fixed [$ns node]
set router [$ns node]
set mobile [$ns node]
$ns duplex-link $fixed $router 8Mb 100ms DropTail
$ns duplex-link $router $mobile ${rate}b 100ms DropTail
$ns queue-limit $router $mobile 6
set errors [new ErrorModel]
$errors unit pkt
$errors set rate_ [expr 1 - pow(1 - $ber, 8 * ($mtu - 40 + $header))]
$errors ranvar [new RandomVariable/Uniform]
$errors drop-target [new Agent/Null]
$ns lossmodel $errors $router $mobile
switch $control {
    tahoe {set tcp [new Agent/TCP]; set sink [new Agent/TCPSink]}
    reno {set tcp [new Agent/TCP/Reno]; set sink [new Agent/TCPSink]}
    sack {set tcp [new Agent/TCP/Sack1]; set sink [new Agent/TCPSink/Sack1]}
}
$ns attach-agent $fixed $tcp
$ns attach-agent $mobile $sink
$ns connect $tcp $sink
set source [new Application/FTP]
$source attach-agent $tcp
$ns at 0.0 "$source start"
$ns at $seconds {puts [expr [$tcp set ack_] + 1]; exit 0}
$ns run
