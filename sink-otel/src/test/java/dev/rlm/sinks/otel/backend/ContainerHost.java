package dev.rlm.sinks.otel.backend;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;

/** A container in which a back end runs. */
final class ContainerHost implements Host {
    private static final String FOLDER = "/tmp";

    private final GenericContainer<?> container;

    private ContainerHost(Program program) {
        BackendAddress place = BackendAddress.alone(FOLDER, program.ports());
        container = new GenericContainer<>(program.image());
        program.ports().forEach(port -> container.addExposedPort(port.usual()));
        program.files().forEach((name, text) -> container.withCopyToContainer(Transferable.of(text), place.file(name)));
        container
                .withEnv(place.variables())
                .withEnv(program.variables())
                .withCommand(program.arguments().apply(place).toArray(String[]::new))
                .waitingFor(
                        Wait.forHttp(program.readyPath()).forPort(program.door().usual()));
    }

    static boolean dockerAnswers() {
        return DockerClientFactory.instance().isDockerAvailable();
    }

    /** Starts the container and waits until the back end is ready. */
    static ContainerHost start(Program program) {
        ContainerHost host = new ContainerHost(program);
        host.container.start();
        return host;
    }

    @Override
    public String address() {
        return container.getHost();
    }

    @Override
    public int port(Port port) {
        return container.getMappedPort(port.usual());
    }

    @Override
    public void kill() {
        throw new UnsupportedOperationException("a container's ports change");
    }

    @Override
    public void startAgain() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        container.stop();
    }
}
