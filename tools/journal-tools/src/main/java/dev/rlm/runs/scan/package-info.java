/**
 * Findings in what runs did and said: each {@code ScanRule} looks at a {@code ScannedRun}, and cites what it finds.
 */
@NullMarked
package dev.rlm.runs.scan;

import org.jspecify.annotations.NullMarked;
