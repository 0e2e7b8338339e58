/** What a person sees of runs in real back ends, held against the journal. */
@NullMarked
package dev.rlm.cli.backend;

import org.jspecify.annotations.NullMarked;
