/**
 * Changes journals whose writers have ended: deletes runs, and merges folders of short processes.
 */
@NullMarked
package dev.rlm.journal.maintenance;

import org.jspecify.annotations.NullMarked;
