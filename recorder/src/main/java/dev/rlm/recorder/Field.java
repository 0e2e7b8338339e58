package dev.rlm.recorder;

import org.jspecify.annotations.Nullable;

/**
 * A field that an object may have.
 *
 * @param required whether it must be there
 * @param standard what stands for it where it is absent; {@code null} for nothing
 */
record Field(
        String name, Kind kind, boolean required, @Nullable Object standard) {
    static Field required(String name, Kind kind) {
        return new Field(name, kind, true, null);
    }

    static Field optional(String name, Kind kind) {
        return new Field(name, kind, false, null);
    }

    static Field standard(String name, Kind kind, Object standard) {
        return new Field(name, kind, false, standard);
    }
}
