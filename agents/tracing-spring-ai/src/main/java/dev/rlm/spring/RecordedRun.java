package dev.rlm.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes of each call of a bean's method a run, in which the agents that it calls have their turns: its first argument is the task, its result
 * the answer, and what it throws the error. Within a run it is nothing more, and within a step a span.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RecordedRun {
    /** Returns the name of the run's agent and environment; that of the method unless given. */
    String value() default "";
}
