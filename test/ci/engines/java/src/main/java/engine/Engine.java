package engine;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A process engine with its REST interface at /engine-rest. The dependencies decide which one. */
@SpringBootApplication
public class Engine {
  public static void main(String[] arguments) {
    SpringApplication.run(Engine.class, arguments);
  }
}
