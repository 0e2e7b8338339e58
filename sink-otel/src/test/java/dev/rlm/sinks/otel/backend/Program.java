package dev.rlm.sinks.otel.backend;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * What it takes to run one kind of back end, whether as a process or in a container.
 *
 * @param name what people call it
 * @param variable the environment variable that names its binary
 * @param image of a container, which takes the arguments as its command; {@link #NO_IMAGE} where there is none to use
 * @param ports at which it listens; the first tells whether it is ready
 * @param readyPath an address there
 * @param readyStatus what it answers there once it is ready; somebody else who took the port answers something else
 * @param files what its folder holds before it starts, text by name
 * @param variables of its environment, beyond those of its {@link BackendAddress}
 * @param arguments of its command line
 */
record Program(
        String name,
        String variable,
        String image,
        List<Port> ports,
        String readyPath,
        int readyStatus,
        Map<String, String> files,
        Map<String, String> variables,
        Function<BackendAddress, List<String>> arguments) {
    static final String NO_IMAGE = "";

    Port door() {
        return ports.get(0);
    }

    /** The text of a file that lies beside this class. */
    static String resource(String name) {
        try (InputStream resource = Objects.requireNonNull(Program.class.getResourceAsStream(name), name)) {
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
