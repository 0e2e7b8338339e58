/**
 * Brings to an end what processes left behind that were killed, and sends runs again. A {@code Recovery} takes each folder as
 * a {@code DeadWriter}, makes up the ends of its runs, unless the {@code RunsElsewhere} have one, and has a {@code Replay} of it
 * sent, by a {@code ReplayPass} and a {@code ResendQueue}, which knows when a sink is to be given up.
 */
@NullMarked
package dev.rlm.journal.recovery;

import org.jspecify.annotations.NullMarked;
