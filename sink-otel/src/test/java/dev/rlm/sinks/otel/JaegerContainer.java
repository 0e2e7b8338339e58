package dev.rlm.sinks.otel;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.MountableFile;

/** A Jaeger that runs in a container. */
final class JaegerContainer implements JaegerHost {
    private static final String IMAGE = "jaegertracing/jaeger:2.13.0";
    private static final String CONFIG = "/etc/jaeger/config.yaml";

    private final GenericContainer<?> container = new GenericContainer<>(IMAGE);

    private JaegerContainer() {
        for (JaegerPort port : JaegerPort.values()) {
            container.addExposedPort(port.usual());
            container.addEnv(port.variable(), Integer.toString(port.usual()));
        }
        container
                .withEnv("LISTEN_HOST", "0.0.0.0")
                .withCopyFileToContainer(MountableFile.forClasspathResource("dev/rlm/sinks/otel/jaeger.yaml"), CONFIG)
                .withCommand("--config", CONFIG)
                .waitingFor(Wait.forHttp("/status").forPort(JaegerPort.HEALTH.usual()));
    }

    static boolean dockerAnswers() {
        return DockerClientFactory.instance().isDockerAvailable();
    }

    /** Starts the container and waits until Jaeger is ready. */
    static JaegerContainer start() {
        JaegerContainer jaeger = new JaegerContainer();
        jaeger.container.start();
        return jaeger;
    }

    @Override
    public String address() {
        return container.getHost();
    }

    @Override
    public int port(JaegerPort port) {
        return container.getMappedPort(port.usual());
    }

    @Override
    public void close() {
        container.stop();
    }
}
