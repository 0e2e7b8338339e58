package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.event.JsonValues;

/** Kinds of values of an event's fields. */
public enum FieldKind {
    /** A {@link String} that joins an event to something else. */
    ID,
    /** A {@link String}, such as a name. */
    LABEL,
    /** A {@link Content}: redacted text. */
    TEXT,
    /** A {@link FileContent}: bytes that are kept beside the lines, and are no field of them. */
    FILE,
    /** A {@code long}. */
    WHOLE,
    /** An {@code int}. */
    COUNT,
    /** A {@code double}. */
    NUMBER,
    /** A {@code boolean}. */
    FLAG,
    /** One of a few words, such as an enum's constant. */
    CHOICE,
    /** An {@link java.time.Instant}. */
    TIME,
    /** A list of integers. */
    WHOLES,
    /** A list of doubles. */
    DECIMALS,
    /** A map to any {@linkplain JsonValues plain} values. */
    VALUES,
    /** A map to texts. */
    TEXTS,
    /** A map to doubles. */
    NUMBERS,
    /** A map to whole numbers. */
    COUNTS,
    /** A record. */
    OBJECT,
    /** A list of records. */
    OBJECTS,
    /** A map to records. */
    OBJECTS_BY_NAME
}
