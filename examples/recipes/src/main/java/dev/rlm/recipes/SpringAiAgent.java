package dev.rlm.recipes;

import java.util.Map;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An application of Spring Boot with the starter of Spring AI, which records itself: {@code tracing-spring-ai} and a sink are on the class
 * path, and nothing here knows of them.
 */
@EnableAutoConfiguration
public class SpringAiAgent {
    static final class Arithmetic {
        @Tool
        int add(int a, int b) {
            return a + b;
        }
    }

    public static void main(String[] args) {
        Map<String, String> environment = System.getenv();
        SpringApplicationBuilder calculator = new SpringApplicationBuilder(SpringAiAgent.class)
                .properties(
                        "spring.application.name=calculator",
                        "spring.main.banner-mode=off",
                        "spring.main.web-application-type=none",
                        "spring.ai.openai.base-url=" + environment.get("OPENAI_BASE_URL"),
                        "spring.ai.openai.api-key=" + environment.getOrDefault("OPENAI_API_KEY", "none"),
                        "spring.ai.openai.chat.model=" + environment.getOrDefault("MODEL", "gpt-4o-mini"));
        try (ConfigurableApplicationContext application = calculator.run()) {
            ChatClient client = application
                    .getBean(ChatClient.Builder.class)
                    .defaultTools(new Arithmetic())
                    .build();
            System.out.println(client.prompt(args.length == 0 ? "What is 1 + 2?" : args[0])
                    .call()
                    .content());
        }
    }
}
