package dev.rlm.cli.testkit;

import dev.rlm.sinks.SinkProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** A folder of plug-ins with jars that name a provider of this class path, or one that is missing. */
public final class PluginFolder {
    private PluginFolder() {}

    /** Makes a folder whose jar names that provider of sinks; its path is the value of {@code RLM_PLUGINS}. */
    public static String naming(Path parent, String provider) throws IOException {
        return naming(parent, SinkProvider.class, provider);
    }

    /** Makes a folder whose jar names those providers of a service. */
    public static String naming(Path parent, Class<?> service, String... providers) throws IOException {
        Path plugins = Files.createDirectories(parent.resolve("plugins"));
        try (OutputStream file = Files.newOutputStream(plugins.resolve("plugin.jar"));
                JarOutputStream jar = new JarOutputStream(file)) {
            jar.putNextEntry(new JarEntry("META-INF/services/" + service.getName()));
            jar.write(String.join("\n", providers).getBytes(StandardCharsets.UTF_8));
            jar.closeEntry();
        }
        return plugins.toString();
    }
}
