package dev.rlm.sinks.core;

import org.jspecify.annotations.Nullable;

/** Node of an {@link IntrusiveList} of a run's open steps, calls or work. The list owns the links. */
abstract class OpenNode {
    @Nullable
    OpenNode before;

    @Nullable
    OpenNode after;
}
