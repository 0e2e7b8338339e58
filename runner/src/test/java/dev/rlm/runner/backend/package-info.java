/** What a person sees of runs in real back ends, held against the journal. */
@NullMarked
package dev.rlm.runner.backend;

import org.jspecify.annotations.NullMarked;
