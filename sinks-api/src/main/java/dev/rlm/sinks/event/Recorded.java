package dev.rlm.sinks.event;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares how a component of an event is recorded, as far as its name and type do not say so: a component without it is
 * a field by its own name in snake case, of the kind of its type, which may be absent where it is {@code @Nullable}.
 * Writers, readers, schemas and tables follow from the declaration (read by {@code event-schema}). On a method without
 * parameters it declares a field that is written and not read, because the record's components tell it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.METHOD})
public @interface Recorded {
    /** Stands for "no value" where an empty text is one. */
    String NONE = "\0";

    /** Name of the field; empty for the component's own. */
    String name() default "";

    /** Says that the text is an id: joined with others by its exact value, never blank. */
    boolean id() default false;

    /** Says that the fields of the component, a record, stand beside those of its owner. */
    boolean inline() default false;

    /** Says that a client that records from outside must give it. */
    boolean required() default false;

    /**
     * Value for a client that records from outside and does not give it; texts, lists and maps that are no names are
     * empty then.
     */
    String standard() default NONE;

    /** Number that means that there is none: the field is left out. */
    String absent() default NONE;

    /** Smallest number allowed. */
    long min() default Long.MIN_VALUE;

    /**
     * Revision of the fields that added this one; lines of earlier ones lack it. The version of a journal is another: it
     * changes where readers of before could not read the file.
     */
    int since() default 1;
}
