package dev.rlm.sinks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The sink of {@code examples/sink}, compiled as its users do. */
final class WebhookExample {
    private static final Path EXAMPLE = Path.of("..", "..", "examples", "sink");
    private static final SinkProvider PROVIDER = provider();

    private WebhookExample() {}

    static Sink sink(WebhookServer server) {
        return PROVIDER.create(
                SinkConfig.of(Map.of("RLM_WEBHOOK_URL", server.uri().toString()))
                        .sink("webhook"));
    }

    /** All lines of its source. */
    static List<String> source() throws IOException {
        try (Stream<Path> files = Files.walk(EXAMPLE.resolve("src"))) {
            return files.filter(Files::isRegularFile)
                    .flatMap(file -> lines(file).stream())
                    .toList();
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SinkProvider provider() {
        try {
            Path classes = Files.createTempDirectory(Path.of("target"), "sink"); // other classes' JVMs make theirs
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                    Stream<Path> sources = Files.walk(EXAMPLE.resolve("src"))) {
                List<String> options =
                        List.of("-d", classes.toString(), "-Xlint:all", "-Werror", "-proc:none", "--release", "17");
                List<Path> all = sources.filter(Files::isRegularFile).toList();
                assertThat(compiler.getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(all))
                                .call())
                        .isTrue();
            }
            URL[] path = {
                classes.toUri().toURL(), EXAMPLE.resolve("resources").toUri().toURL()
            };
            return ServiceLoader.load(
                            SinkProvider.class, new URLClassLoader(path, WebhookExample.class.getClassLoader()))
                    .stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(each -> each.name().equals("webhook"))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
