/**
 * Takes runs out of journals whose writers have ended.
 */
@NullMarked
package dev.rlm.journal.maintenance;

import org.jspecify.annotations.NullMarked;
