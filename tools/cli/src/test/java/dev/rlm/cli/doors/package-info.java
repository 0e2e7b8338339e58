/** One description of runs, given through each way in: what of it is in the journal behind each. */
@NullMarked
package dev.rlm.cli.doors;

import org.jspecify.annotations.NullMarked;
