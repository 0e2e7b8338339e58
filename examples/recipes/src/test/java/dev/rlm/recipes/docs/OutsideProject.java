package dev.rlm.recipes.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.RepositorySystemSession.CloseableSession;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.graph.Exclusion;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.repository.WorkspaceReader;
import org.eclipse.aether.repository.WorkspaceRepository;
import org.eclipse.aether.resolution.ArtifactDescriptorException;
import org.eclipse.aether.resolution.ArtifactDescriptorRequest;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.resolution.DependencyResolutionException;
import org.eclipse.aether.supplier.RepositorySystemSupplier;
import org.eclipse.aether.supplier.SessionBuilderSupplier;

/**
 * A project outside of this build, in a folder. Maven's resolver finds what its dependencies bring, as it would for a reader who names them: in
 * the local repository, in Maven Central, and what this build has made in its {@code target} folders.
 */
final class OutsideProject {
    static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

    static final String COMPILE = "compile";
    static final String RUNTIME = "runtime"; // which has what is compiled against too

    private static final RepositorySystem MAVEN = new RepositorySystemSupplier().get();
    private static final RemoteRepository CENTRAL =
            new RemoteRepository.Builder("central", "default", "https://repo.maven.apache.org/maven2").build();
    private static final CloseableSession SESSION = new SessionBuilderSupplier(MAVEN)
            .get()
            .withLocalRepositoryBaseDirectories(Path.of(System.getProperty("localRepository"))) // Surefire tells it
            .setSystemProperties(System.getProperties())
            .setWorkspaceReader(new Reactor())
            .build();

    /** Spring's other HTTP client, with native libraries for each machine. */
    private static final List<Exclusion> LEFT_OUT = List.of(new Exclusion("io.projectreactor.netty", "*", "*", "*"));

    private static final Pattern PUBLIC = Pattern.compile("(?m)^public (?:final )?class (\\w+)");

    private final Path folder;
    private final List<Dependency> dependencies;

    /**
     * Makes one.
     *
     * @param dependencies of the form {@code group:artifact:version}, those of this build without a version; {@code group:artifact:pom:version}
     *     has the versions of others
     */
    OutsideProject(Path folder, List<String> dependencies) {
        this.folder = folder;
        this.dependencies = dependencies.stream()
                .map(name -> name.split(":").length == 2 ? name + ":" + Reactor.VERSION : name)
                .map(name -> new Dependency(new DefaultArtifact(name), COMPILE, false, LEFT_OUT))
                .toList();
    }

    /** Returns the class path of a scope. */
    String classPath(String scope) {
        try {
            CollectRequest collect = new CollectRequest().setRepositories(List.of(CENTRAL));
            for (Dependency dependency : dependencies) {
                if (dependency.getArtifact().getExtension().equals("pom")) {
                    collect.setManagedDependencies(MAVEN.readArtifactDescriptor(
                                    SESSION,
                                    new ArtifactDescriptorRequest(dependency.getArtifact(), List.of(CENTRAL), null))
                            .getManagedDependencies());
                } else {
                    collect.addDependency(dependency);
                }
            }
            DependencyRequest all = new DependencyRequest(
                    collect,
                    (node, parents) -> node.getDependency() == null
                            || scope.equals(RUNTIME)
                            || scope.equals(node.getDependency().getScope()));
            return MAVEN.resolveDependencies(SESSION, all).getArtifactResults().stream()
                    .map(found -> found.getArtifact().getPath().toString())
                    .collect(Collectors.joining(File.pathSeparator));
        } catch (DependencyResolutionException | ArtifactDescriptorException e) {
            throw new AssertionError(e);
        }
    }

    /** Compiles sources; returns what the compiler has against them. */
    String compile(List<String> sources) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "-d", folder.resolve("classes").toString(), "-cp", classPath(COMPILE), "-proc:none", "-parameters"));
        for (String source : sources) {
            String name = PUBLIC.matcher(source)
                    .results()
                    .findFirst()
                    .map(found -> found.group(1))
                    .orElse("Page");
            arguments.add(
                    Files.writeString(folder.resolve(name + ".java"), source).toString());
        }
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int code = ToolProvider.getSystemJavaCompiler().run(null, said, said, arguments.toArray(String[]::new));
        return code == 0 ? "" : said.toString(StandardCharsets.UTF_8);
    }

    /** Runs a program of it to its end, which is to be a good one; returns what it says. The journal is in the folder. */
    String run(Map<String, String> variables, String... program) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                folder.resolve("classes") + File.pathSeparator + classPath(RUNTIME)));
        command.addAll(Arrays.asList(program));
        Path said = folder.resolve("said");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        builder.environment().putAll(variables);
        int code = builder.start().waitFor();
        assertThat(code).as(Files.readString(said)).isZero();
        return Files.readString(said);
    }

    /** The modules of this build, as they were compiled. */
    private static final class Reactor implements WorkspaceReader {
        static final String GROUP = "dev.rlm";
        static final String VERSION;
        private static final List<String> MODULES;

        static {
            try {
                String pom = Files.readString(ROOT.resolve("pom.xml"));
                VERSION = pom.replaceFirst("(?s).*?<version>([^<]+)<.*", "$1");
                MODULES = Pattern.compile("<module>([^<]+)<")
                        .matcher(pom)
                        .results()
                        .map(module -> module.group(1))
                        .toList();
            } catch (IOException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final WorkspaceRepository repository = new WorkspaceRepository("reactor");

        @Override
        public WorkspaceRepository getRepository() {
            return repository;
        }

        @Override
        public File findArtifact(Artifact artifact) {
            if (!artifact.getGroupId().equals(GROUP) || !artifact.getVersion().equals(VERSION)) {
                return null;
            }
            Path module = MODULES.stream()
                    .filter(name -> ("/" + name).endsWith("/" + artifact.getArtifactId()))
                    .findFirst()
                    .map(ROOT::resolve)
                    .orElse(ROOT); // the parent
            File found = module.resolve(artifact.getExtension().equals("pom") ? "pom.xml" : "target/classes")
                    .toFile();
            return found.exists() ? found : null;
        }

        @Override
        public List<String> findVersions(Artifact artifact) {
            return List.of(VERSION);
        }
    }
}
