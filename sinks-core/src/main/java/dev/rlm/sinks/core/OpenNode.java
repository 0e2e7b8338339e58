package dev.rlm.sinks;

import org.jspecify.annotations.Nullable;

/** What goes on in a run, linked with its like in a {@link Chain}, whose own the links are. */
abstract class Open {
    @Nullable
    Open before;

    @Nullable
    Open after;
}
