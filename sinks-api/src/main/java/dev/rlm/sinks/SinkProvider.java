package dev.rlm.sinks;

import java.io.OutputStream;
import java.util.List;

/**
 * Makes a sink. Providers are found by {@link java.util.ServiceLoader}, so an implementation is public, has a public
 * constructor without parameters, and is named in {@code META-INF/services/dev.rlm.sinks.SinkProvider}.
 *
 * <p>A provider that is found is not yet used: sink {@code x} is chosen by the variable {@code RLM_X_ENABLED}, and its
 * other variables share that prefix.
 */
public interface SinkProvider {
    /**
     * The sink's name: small letters, digits and hyphens, unique among the providers. It is asked of every provider that is
     * found, chosen or not; one that has not answered after ten seconds is left out, with a {@link SinkStatus} that says so.
     */
    String name();

    /** Describes the sink in half a line. */
    default String description() {
        return "";
    }

    /** Returns whether the sink is used where nothing is said. */
    default boolean isEnabledByDefault() {
        return false;
    }

    /**
     * Returns whether its sinks keep the record ({@link Sink#isDurable}). What is sent again from a record is sent to such a
     * sink only where it is named: it has it, as a rule.
     */
    default boolean isDurable() {
        return false;
    }

    /**
     * Returns whether the configuration may make several of its sinks, each with settings of its own. Sink {@code x-name} is then
     * chosen by {@code RLM_X_NAME_ENABLED}, unless that is one of the {@link #variables()}. Its settings have the prefix
     * {@code RLM_X_NAME_}; those that are not given are those of sink {@code x}.
     */
    default boolean allowsSeveral() {
        return false;
    }

    /**
     * The variables that it reads, for people to see; {@code RLM_X_ENABLED} goes without saying. Those that only further
     * sinks have are named as {@code RLM_X_<NAME>_…}. A provider names all or none: where it names some, others of its
     * prefix that are set are told to the user as unknown.
     */
    default List<Variable> variables() {
        return List.of();
    }

    /**
     * A new sink; where the provider allows several, that of the {@linkplain SinkConfig#name() name} in the configuration.
     *
     * @throws SinkConfigException if a variable has a value that it cannot use: this stops the program's start. Any other
     *     exception leaves the sink out, with the reason in its {@link SinkStatus}.
     */
    Sink create(SinkConfig config);

    /**
     * The file formats in which it can write runs that were recorded earlier, by short names such as {@code otlp}; unique
     * among the providers.
     */
    default List<String> exportFormats() {
        return List.of();
    }

    /**
     * A new sink that writes runs in one of its {@link #exportFormats()} and sends nothing anywhere, for a hub that
     * {@linkplain Sinks.Builder#resending sends them again}. An event counts as delivered once what it is part of has been
     * written to the stream.
     *
     * @param to written to by one thread at a time; the caller flushes and closes it when the sink has been closed
     * @throws SinkConfigException if a variable has a value that it cannot use
     * @throws IllegalArgumentException if the format is none of its own
     */
    default Sink createExport(String format, OutputStream to, SinkConfig config) {
        throw new IllegalArgumentException("sink '" + name() + "' writes no format '" + format + "'");
    }

    /**
     * A variable that a sink reads.
     *
     * @param name in full, such as {@code RLM_JSONL_DIR}
     * @param defaultValue what holds where it is not set; empty for nothing
     * @param meaning in half a line
     */
    record Variable(String name, String defaultValue, String meaning) {}
}
