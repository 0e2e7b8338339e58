package dev.rlm.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test of an agent, each execution of which is a run that is current while it is executed. The test may take the {@link
 * dev.rlm.sinks.Run} as a parameter, to give it rewards. Where it gives none, the reward of the source {@code test} is 1 if it passes, and 0
 * if an assertion fails; any other error ends the run as failed.
 *
 * <p>The sample of the run is the test, so that what two versions of an agent came to can be compared test by test: {@code rlm report --against}.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(RecordedTestExtension.class)
public @interface RecordedTest {
    /** Returns how often it is executed: the rollouts of its sample. */
    int rollouts() default 1;

    /** Returns the environment of the runs; the name of the test's class unless given. */
    String environment() default "";

    /**
     * Returns how many of the rollouts must pass for the test to pass, as the last of them tells; all unless given. Others that fail are
     * recorded, and reported as skipped.
     */
    int mustPass() default -1;
}
